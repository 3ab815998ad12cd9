/**
 * The configuration file, read into records that are valid.
 *
 * <p>Public face: {@link ConfigurationFile} and {@link NyalaConfig}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.rule}, {@code core.directory}, {@code
 * core.dispatch}, {@code core.dn}, {@code core.filter}, {@code core.integrity}, {@code
 * core.limits}, {@code core.message}, {@code core.password}, {@code core.policy}, {@code
 * core.provider}, {@code core.quality}, {@code core.sasl}, {@code core.schema}, {@code
 * core.schema.load}, {@code core.update}, {@code error}, {@code lmdb.env}, {@code lmdb.format},
 * {@code lmdb.ldif}, {@code log}, {@code management}, {@code management.http}, {@code
 * management.jmxport}, {@code netty}, {@code netty.accept}, {@code netty.tls}, {@code replica}.
 */
@NullMarked
package org.nyala.config;

import org.jspecify.annotations.NullMarked;
