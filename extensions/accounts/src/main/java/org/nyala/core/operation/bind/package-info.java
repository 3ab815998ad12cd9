/**
 * Simple binds, and binds by SASL, which map user names to entries.
 *
 * <p>Public face: {@link BindOperation} and {@link SaslOffer}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.operation.bind;

import org.jspecify.annotations.NullMarked;
