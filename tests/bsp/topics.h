/* The topics of the conformance suite: each is collective, leaves nothing registered and the tag size zero. */
#ifndef TESTS_BSP_TOPICS_H
#define TESTS_BSP_TOPICS_H

void topic_enquiry(void);
void topic_registration(void);
void topic_put(void);
void topic_get(void);
void topic_memory(void);
void topic_messages(void);
void topic_widths(void);
void topic_collectives(void);
void topic_level1(void);
void topic_older(void);

#endif
