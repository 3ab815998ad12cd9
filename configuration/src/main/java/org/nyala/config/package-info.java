/**
 * The configuration file, read into valid records.
 *
 * <p>Public face: {@link ConfigurationFile} and {@link NyalaConfig}.
 */
@NullMarked
package org.nyala.config;

import org.jspecify.annotations.NullMarked;
