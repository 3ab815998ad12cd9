/**
 * The live page of the HTTP port: what it shows, the last hour, and what administrators do by it.
 *
 * <p>Public face: {@link LivePage}, {@link PageActions}, {@link PageFeed}.
 */
@NullMarked
package org.nyala.management.page;

import org.jspecify.annotations.NullMarked;
