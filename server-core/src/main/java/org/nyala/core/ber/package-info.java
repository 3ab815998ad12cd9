/**
 * The reader and the writer of BER (X.690) that everything but the hot path of the wire uses.
 *
 * <p>Public face: {@link BerReader} and {@link BerWriter}.
 *
 * <p>Imports: {@code core.bytes}.
 */
@NullMarked
package org.nyala.core.ber;

import org.jspecify.annotations.NullMarked;
