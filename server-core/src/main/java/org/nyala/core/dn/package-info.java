/** Distinguished names, parsed once and compared as bytes. */
@NullMarked
package org.nyala.core.dn;

import org.jspecify.annotations.NullMarked;
