/**
 * Growing byte buffers, UTF-8, digests, and searches for bytes in bytes.
 *
 * <p>Public face: All of it.
 *
 * <p>Imports nothing of Nyala.
 */
@NullMarked
package org.nyala.core.bytes;

import org.jspecify.annotations.NullMarked;
