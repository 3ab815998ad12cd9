/**
 * The one reader of BER (X.690), and its writers.
 *
 * <p>Public face: {@link BerReader}, {@link BerWriter}, and {@link Ber} for what is written in
 * place.
 */
@NullMarked
package org.nyala.core.ber;

import org.jspecify.annotations.NullMarked;
