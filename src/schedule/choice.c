/* Which algorithm, and how, as text. */
#include "schedule/schedule.h"
