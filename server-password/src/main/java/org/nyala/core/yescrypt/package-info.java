/**
 * Verification of passwords stored by yescrypt and gost-yescrypt, the defaults of crypt(3) on many
 * systems.
 *
 * <p>Public face: {@link org.nyala.core.yescrypt.Yescrypt} and {@link
 * org.nyala.core.yescrypt.YescryptSettings}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.yescrypt;

import org.jspecify.annotations.NullMarked;
