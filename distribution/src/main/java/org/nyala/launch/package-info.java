/**
 * The entry point of the jar, above the command line and the tools of the build.
 *
 * <p>Public face: {@link Start}.
 */
@NullMarked
package org.nyala.launch;

import org.jspecify.annotations.NullMarked;
