/**
 * Tools of the build: the reference of the manual, and the training of the start-up cache.
 *
 * <p>Public face: {@link ReferenceCommand} and {@link TrainCommand}.
 */
@NullMarked
package org.nyala.build;

import org.jspecify.annotations.NullMarked;
