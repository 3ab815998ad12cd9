/**
 * The wire: listeners, BER framing, codec, response encoding, back-pressure. Priorities in order:
 * never let one client hurt another, no copy that is not needed, no allocation that is not needed.
 * Hot: framing, decoding, encoding entries.
 */
@NullMarked
package org.nyala.netty;

import org.jspecify.annotations.NullMarked;
