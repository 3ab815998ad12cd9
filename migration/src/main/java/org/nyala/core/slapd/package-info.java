/**
 * The configuration of slapd as data: global section, databases, overlays and schema, from
 * slapd.conf or {@code cn=config}.
 *
 * <p>Public face: {@link SlapdConfiguration}. Nothing in it runs while a server serves.
 */
@NullMarked
package org.nyala.core.slapd;

import org.jspecify.annotations.NullMarked;
