/** Who is connected and what is in flight. */
@NullMarked
package org.nyala.core.session;

import org.jspecify.annotations.NullMarked;
