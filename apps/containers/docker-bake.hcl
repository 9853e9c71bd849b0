# Images on your own machine, of one artifact:
#   ./bench ci pack pack vertx-pg/jvm/pg && mv pack/*.tar pack/app.tar
#   docker buildx bake -f apps/containers/docker-bake.hcl jvm
variable "PACK" {
  default = "pack"
}

variable "TAG" {
  default = "plumbline:latest"
}

target "jvm" {
  context    = PACK
  dockerfile = "../apps/containers/jvm.Containerfile"
  tags       = [TAG]
}

target "native" {
  context    = PACK
  dockerfile = "../apps/containers/native.Containerfile"
  tags       = [TAG]
}
