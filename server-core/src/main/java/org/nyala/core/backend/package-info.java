/** What a store offers to operations. */
@NullMarked
package org.nyala.core.backend;

import org.jspecify.annotations.NullMarked;
