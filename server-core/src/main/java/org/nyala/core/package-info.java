/**
 * The directory without wire, store and configuration.
 *
 * <p>Public face: {@link DirectoryServer} opens sessions for the wire.
 *
 * <p>Imports: {@code core.budget}, {@code core.dispatch}, {@code core.limits}, {@code
 * core.metrics}, {@code core.session}.
 */
@NullMarked
package org.nyala.core;

import org.jspecify.annotations.NullMarked;
