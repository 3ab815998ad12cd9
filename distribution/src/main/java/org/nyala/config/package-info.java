/**
 * The configuration file, read into records that are valid.
 *
 * <p>Public face: {@link ConfigurationFile} and {@link NyalaConfig}.
 */
@NullMarked
package org.nyala.config;

import org.jspecify.annotations.NullMarked;
