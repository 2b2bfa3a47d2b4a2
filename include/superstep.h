/* The public interface of Superstep, all of it except BSPlib itself (bsp.h). */
#ifndef SUPERSTEP_H
#define SUPERSTEP_H

#include <superstep/model.h>
#include <superstep/status.h>
#include <superstep/tile.h>
#include <superstep/version.h>

#endif
