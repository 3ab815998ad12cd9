package org.nyala.core.dn;

import org.nyala.core.schema.AttributeType;

/**
 * One attribute value of an RDN, unescaped.
 *
 * <p>Immutable, but for the array, which is never written to after construction.
 *
 * @param type the attribute type
 * @param value the value as an entry holds it
 */
public record NamingValue(AttributeType type, byte[] value) {}
