/**
 * The directory: assembles sessions, operations, schema, access and dispatch into a server without
 * a wire and a store.
 */
@NullMarked
package org.nyala.core;

import org.jspecify.annotations.NullMarked;
