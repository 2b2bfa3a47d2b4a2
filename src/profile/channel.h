/* What the tables of a τ-Lop channel say between and beyond their entries: one rule for everybody who uses them. Term
 * Tcomm. superstep-profile(5) states it too.
 *
 * Over m: up to the first size L is that of the first size, between two sizes on the line through them, beyond the last
 * one the line through the last two goes on, where it does not fall. Over τ: between two rows on the line through them,
 * below the first row that of the first; beyond the last row the line through the last two goes on within the bounds
 * L(m,τ) ≤ L(m,Aτ) ≤ A·L(m,τ), and where there is one row only, it is the lower bound. */
#ifndef SUP_PROFILE_CHANNEL_H
#define SUP_PROFILE_CHANNEL_H

#include "profile/profile.h"

/* The channel of a transport that pairs of one host use (c = 0, shared memory), or (network) pairs of two hosts (the
 * lowest c above 0). Of several that were measured in different ways: one with an overhead, by rings (then ping, then
 * broadcast), with buffers in cache. The order in the file does not matter. NULL: not measured. */
const sup_channel *sup_channel_find(const sup_profile *profile, const char *transport, bool network);

/* L(m,τ). NaN: the table is empty. */
double sup_transfer_at(const sup_transfer *transfer, double bytes, double tau);

/* How many transfers n a message of so many bytes is made of, o(m) + n·L(m,1): 2 through a buffer, 1 where the receiver
 * takes it from the sender's memory. Shared memory does that from the threshold on: below, a message is kept somewhere
 * while nobody receives it. */
int sup_channel_transfers(const sup_channel *channel, double bytes);

#endif
