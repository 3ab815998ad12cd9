package org.nyala.core.message;

import org.jspecify.annotations.Nullable;

/**
 * A control of a response (RFC 4511, section 4.1.11); never critical.
 *
 * <p>Immutable, but for the array, which is never written to after construction.
 *
 * @param oid its identifier
 * @param value its value in BER, or null
 */
public record ResponseControl(String oid, byte @Nullable [] value) {}
