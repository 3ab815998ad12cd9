/** Stored passwords and how they are checked. */
@NullMarked
package org.nyala.core.password;

import org.jspecify.annotations.NullMarked;
