/**
 * The command line of the load tester.
 *
 * <p>Public face: {@link Main}.
 */
@NullMarked
package org.nyala.loadtest.cli;

import org.jspecify.annotations.NullMarked;
