/** The one account of memory that clients can make the server hold. */
@NullMarked
package org.nyala.core.budget;

import org.jspecify.annotations.NullMarked;
