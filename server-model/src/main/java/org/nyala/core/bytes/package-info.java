/**
 * Growing byte buffers, UTF-8, digests, searches for bytes in bytes, and text as messages show it.
 *
 * <p>Public face: All of it.
 */
@NullMarked
package org.nyala.core.bytes;

import org.jspecify.annotations.NullMarked;
