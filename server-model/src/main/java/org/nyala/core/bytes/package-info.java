/**
 * Growing byte buffers, UTF-8, digests, searches in bytes, and the form of foreign text in
 * messages.
 *
 * <p>Public face: all of it.
 */
@NullMarked
package org.nyala.core.bytes;

import org.jspecify.annotations.NullMarked;
