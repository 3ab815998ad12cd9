/**
 * The process in its environment: run directory, service manager, signals, thread scheduling.
 *
 * <p>Public face: {@link RunDirectory} and {@link BackgroundServer}.
 */
@NullMarked
package org.nyala.service;

import org.jspecify.annotations.NullMarked;
