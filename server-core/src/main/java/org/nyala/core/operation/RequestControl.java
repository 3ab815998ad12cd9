package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;

/**
 * A control of a request, undecoded (RFC 4511, section 4.1.11).
 *
 * @param oid what it is
 * @param critical whether the request must fail when the control cannot be honoured
 * @param value its value, or null
 */
public record RequestControl(String oid, boolean critical, byte @Nullable [] value) {}
