/**
 * The client's side of SASL: mechanisms, credentials, exchanges of SCRAM and their keys.
 *
 * <p>Public face: {@link SaslLogin} and {@link ScramExchange}.
 */
@NullMarked
package org.nyala.loadtest.sasl;

import org.jspecify.annotations.NullMarked;
