/* The table of sections, and the chapters of the page that they stand in (sections.h). A new section is its file and a
 * row here; to be in the page it is also named in a chapter. */
#include "report/section/sections.h"

#include <stdlib.h>
#include <string.h>

extern const sup_section sup_section_machine, sup_section_quality, sup_section_kernels, sup_section_classic,
    sup_section_pairs, sup_section_channels, sup_section_vectors, sup_section_sync, sup_section_signals,
    sup_section_exchanges, sup_section_copies, sup_section_overlap, sup_section_tiles, sup_section_noise,
    sup_section_predicted, sup_section_programs, sup_section_larger, sup_section_recommended, sup_section_barriers,
    sup_section_collective_times, sup_section_collectives, sup_section_first;

const sup_section *const sup_sections[] = {
    &sup_section_machine,  &sup_section_quality,   &sup_section_kernels,
    &sup_section_programs, &sup_section_classic,   &sup_section_pairs,
    &sup_section_channels, &sup_section_vectors,   &sup_section_sync,
    &sup_section_signals,  &sup_section_exchanges, &sup_section_collective_times,
    &sup_section_copies,   &sup_section_overlap,   &sup_section_first,
    &sup_section_tiles,    &sup_section_noise,     NULL,
};

const sup_chapter sup_chapters[SUP_CHAPTERS + 1] = {
    {"recommended",
     "Recommendations",
     "What follows from the numbers below: how programs should run on this machine, what that brings, and the command "
     "that does it.",
     {{NULL, {&sup_section_recommended}}}},
    {"machine",
     "Machine",
     "Cores, the caches they share, and where the measured processes ran.",
     {{NULL, {&sup_section_machine}}}},
    {"computation",
     "Computation",
     "How long one unit of work takes, by how much memory the data needs. Curves bend where data no longer fits into a "
     "cache, and rise when more cores share one memory.",
     {{NULL, {&sup_section_kernels}}, {"Programs", {&sup_section_programs}}}},
    {"communication",
     "Communication",
     "What it costs to send something from one process to another: O to start a message, L until it arrives, B for "
     "each byte; and how these change when several processes communicate at once.",
     {{"Pairs of processes", {&sup_section_pairs, &sup_section_clusters}},
      {"Synchronisation and classic parameters", {&sup_section_sync, &sup_section_signals, &sup_section_classic}},
      {"Barriers", {&sup_section_barriers}},
      {"Concurrent transfers (τ-Lop)", {&sup_section_channels}},
      {"Collective operations", {&sup_section_collectives, &sup_section_collective_times}},
      {"Supersteps", {&sup_section_exchanges, &sup_section_first}},
      {NULL, {&sup_section_copies, &sup_section_vectors}},
      {"Overlap of communication and computation", {&sup_section_overlap}}}},
    {"decomposition",
     "Decomposition",
     "What it brings to cut the data of plain loops into parts that fit the caches. Each point is a shape of parts; "
     "where nothing lies below one band a worker, there is nothing to gain.",
     {{NULL, {&sup_section_tiles}}}},
    {"predicted",
     "Predicted and measured",
     "What the numbers above are good for: supersteps of a program, as the model predicts them from this profile, and "
     "as they took.",
     {{NULL, {&sup_section_predicted}}}},
    {"larger",
     "Larger machines",
     "What common programs would take on many nodes like this one, joined by a fast network whose numbers others "
     "published.",
     {{NULL, {&sup_section_larger}}}},
    {"quality",
     "Quality of the measurement",
     "How far the numbers above can be trusted. A batch during which something else ran on the core does not count.",
     {{NULL, {&sup_section_quality}}, {"Noise", {&sup_section_noise}}}},
    {0},
};

void sup_tables_put(const sup_profile *profile, const char *section, sup_sink *sink) {
    sink->sections = sup_sections;
    for (const sup_section *const *s = sup_sections; *s; s++)
        if (!section || !strcmp(section, (*s)->name)) (*s)->tables(profile, sink);
}

void sup_series_each(const sup_profile *profile, const char *section, sup_series_visit visit, void *context) {
    sup_walk_sections(sup_sections, profile, section, visit, context);
}

sup_status sup_figures(const sup_profile *profile, sup_figure **out, size_t *count) {
    sup_figure_list list = {0};
    for (const sup_section *const *s = sup_sections; *s && !list.failed; s++)
        if ((*s)->figures) (*s)->figures(profile, &list);
    if (list.failed) {
        free(list.at);
        return SUP_ENOMEM;
    }
    *out = list.at;
    *count = list.count;
    return SUP_OK;
}
