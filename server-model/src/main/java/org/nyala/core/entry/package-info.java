/**
 * The stored record of an entry, which is its form on the wire, and views of it.
 *
 * <p>Public face: {@link EntryView} reads a record, {@link EntryRecordWriter} makes one, {@link
 * Entry} is one in objects, {@link EntryVerdicts} judges its parts.
 */
@NullMarked
package org.nyala.core.entry;

import org.jspecify.annotations.NullMarked;
