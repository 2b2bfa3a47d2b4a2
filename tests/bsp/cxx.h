/* The parts of the C++ program; both are collective and leave nothing registered and the tag size zero. */
#ifndef TESTS_BSP_CXX_H
#define TESTS_BSP_CXX_H

void classic_program(); /* cxx.cc: the calls of bsp.h */

#endif
