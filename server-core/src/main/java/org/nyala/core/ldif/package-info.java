/** Directory entries as text (RFC 2849). */
@NullMarked
package org.nyala.core.ldif;

import org.jspecify.annotations.NullMarked;
