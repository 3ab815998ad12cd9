/** A strategy that decides where and when operations run. Hot: dispatching and completing. */
@NullMarked
package org.nyala.core.dispatch;

import org.jspecify.annotations.NullMarked;
