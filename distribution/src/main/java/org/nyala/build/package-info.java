/**
 * Tools of the build: the reference of the manual, and the training of the start-up cache.
 *
 * <p>The reference contains the commands of the load tester as well, so this is the only package of
 * the server's process that imports {@code org.nyala.loadtest.cli}.
 *
 * <p>Public face: {@link BuildTools}.
 */
@NullMarked
package org.nyala.build;

import org.jspecify.annotations.NullMarked;
