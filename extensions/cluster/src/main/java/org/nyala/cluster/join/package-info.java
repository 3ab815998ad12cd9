/**
 * The way of a server into a cluster: certificates, admission, copies of the store.
 *
 * <p>Public face: {@link Joiner}, {@link StoreCopying}, {@link CopyServer}, {@link
 * AdmissionService}, {@link FitCheck}, {@link PeerCertificates}.
 */
@NullMarked
package org.nyala.cluster.join;

import org.jspecify.annotations.NullMarked;
