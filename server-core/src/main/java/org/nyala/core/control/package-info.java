/** The controls of requests and responses (RFC 4511, section 4.1.11). */
@NullMarked
package org.nyala.core.control;

import org.jspecify.annotations.NullMarked;
