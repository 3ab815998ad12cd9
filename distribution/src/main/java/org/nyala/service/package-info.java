/**
 * The process in its environment: run directory, service manager, signals, scheduling of threads.
 *
 * <p>Public face: {@link RunDirectory} and {@link BackgroundServer}.
 *
 * <p>Imports: {@code config}, {@code core}, {@code core.dispatch}, {@code core.update}, {@code
 * error}, {@code lmdb}, {@code lmdb.env}, {@code log}, {@code management}, {@code management.bean},
 * {@code management.meter}, {@code netty}.
 */
@NullMarked
package org.nyala.service;

import org.jspecify.annotations.NullMarked;
