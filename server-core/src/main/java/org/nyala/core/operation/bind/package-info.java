/**
 * Binds: simple ones, and those of SASL, whose names of users are mapped to entries.
 *
 * <p>Public face: {@link BindOperation} and {@link SaslOffer}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.operation.bind;

import org.jspecify.annotations.NullMarked;
