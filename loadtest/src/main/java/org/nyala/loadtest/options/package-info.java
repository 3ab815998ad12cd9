/**
 * Options that several commands share: who connects, and how connections are encrypted.
 *
 * <p>Public face: {@link BindOptions} and {@link TlsOptions}.
 */
@NullMarked
package org.nyala.loadtest.options;

import org.jspecify.annotations.NullMarked;
