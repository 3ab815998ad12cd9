/** Entries in the form in which they are stored and sent. Hot: everything that reads a record. */
@NullMarked
package org.nyala.core.entry;

import org.jspecify.annotations.NullMarked;
