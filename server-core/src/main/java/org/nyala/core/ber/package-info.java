/** The little BER that values of controls and extended operations are made of. */
@NullMarked
package org.nyala.core.ber;

import org.jspecify.annotations.NullMarked;
