/* Workers for tests of src/tile, without first guesses of src/choose; for files that include cmocka.h. */
#ifndef SUP_TEST_TILE_POOL_H
#define SUP_TEST_TILE_POOL_H

#include "tile/tile.h"

static sup_tile *pool(int workers) {
    sup_tile *tile = NULL;
    sup_tile_options options = {.workers = workers};
    assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_OK);
    assert_int_equal(sup_tile_workers(tile), workers);
    return tile;
}

#endif
