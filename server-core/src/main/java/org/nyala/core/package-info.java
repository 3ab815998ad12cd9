/**
 * The directory without wire, store and configuration.
 *
 * <p>Public face: {@link DirectoryServer} opens sessions for the wire.
 */
@NullMarked
package org.nyala.core;

import org.jspecify.annotations.NullMarked;
