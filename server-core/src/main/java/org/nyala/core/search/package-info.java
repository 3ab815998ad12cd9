/**
 * What a search means: filters, attribute selection, scopes. Knows no storage. Hot: matching and
 * selecting.
 */
@NullMarked
package org.nyala.core.search;

import org.jspecify.annotations.NullMarked;
