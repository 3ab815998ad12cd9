/** The command line, the configuration file and the composition root. */
@NullMarked
package org.nyala.cli;

import org.jspecify.annotations.NullMarked;
