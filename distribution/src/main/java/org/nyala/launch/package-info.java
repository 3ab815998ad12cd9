/**
 * The entry of the jar, above the command line and the tools of the build.
 *
 * <p>Public face: {@link Start}.
 *
 * <p>Imports: {@code build}, {@code cli}.
 */
@NullMarked
package org.nyala.launch;

import org.jspecify.annotations.NullMarked;
