/**
 * The store on LMDB. Priorities in order: lose nothing, serve reads without deserialising, stay
 * small on disk. Hot: point reads, candidate evaluation, cursors.
 */
@NullMarked
package org.nyala.lmdb;

import org.jspecify.annotations.NullMarked;
